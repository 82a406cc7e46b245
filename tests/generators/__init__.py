"""Random data shaped like that of real collections."""
