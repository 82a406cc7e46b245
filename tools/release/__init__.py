"""What is released: built, checked, and tested as users get it."""
