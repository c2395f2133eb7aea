"""From weighted blocks to markdown and manifest."""
