"""What the project is made and examined with: generators of pages, simulations, mutation testing."""
