"""What figures should be: plain Python, straight from the definitions, with nothing of cranfield and no NumPy."""
