"""What an audit finds, as values without words: decisions that page, terminal, paper and JSON put into words."""
