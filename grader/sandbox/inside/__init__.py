"""What runs behind the walls, exactly: these files are copied in, and import nothing else of this package."""
