"""The commands, one module for each family: options become records, one call is made, what comes back is printed."""
