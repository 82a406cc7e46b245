"""How often intervals over queries cover, and how wide they are: the simulations that the documentation cites."""
