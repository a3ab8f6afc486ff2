"""The sample campaigns are what their pages say they are."""
