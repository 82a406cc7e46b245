"""Every measure a second time: slow, obvious, and straight from its definition."""
