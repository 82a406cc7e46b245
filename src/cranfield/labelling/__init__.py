"""Labels by language models: prompts, calls, the answers and what is read from them."""
