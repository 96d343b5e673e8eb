"""What a model is and what simplifying it changed, as data, text, pictures and a page."""
