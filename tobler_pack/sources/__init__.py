"""Where questions come from: the configuration file and the command line."""
