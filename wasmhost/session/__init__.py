"""What a cell and a session are: output, limits, the order of things. One core for the blocking and the async
driver."""
