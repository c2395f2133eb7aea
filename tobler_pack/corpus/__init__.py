"""From a git tree to an index of chunks."""
