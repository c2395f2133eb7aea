"""The same functions for an agent: tools of the Model Context Protocol over standard input and output."""
