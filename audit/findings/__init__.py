"""What an audit finds, as values without a layout: decisions that page, terminal, paper and JSON lay out."""
