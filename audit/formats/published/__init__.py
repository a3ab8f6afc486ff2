"""What organisers publish beside the files: tables of scores, and names of labels."""
