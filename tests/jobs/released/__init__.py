"""The databases of every released schema, as SQL, from which later versions of the program upgrade."""
