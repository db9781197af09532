"""The course in other languages: what students read becomes messages, and translated messages become notebooks."""
