"""What the figures in the README were measured with."""
