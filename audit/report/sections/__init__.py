"""The sections of the page, each made of an evaluation."""
