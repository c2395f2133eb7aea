"""Evidence channels: each gives one number to each of the N chunks for a query."""
