"""What is brought in from the web: pages and search results, each request bounded and its address judged."""
