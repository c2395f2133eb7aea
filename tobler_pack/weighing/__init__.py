"""The seven steps: arrays in, arrays out, numpy only."""
