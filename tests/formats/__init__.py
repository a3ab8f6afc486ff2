"""The formats: files in, a campaign or every issue out."""
