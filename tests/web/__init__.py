"""The service over HTTP, as people, programs and strangers ask it."""
