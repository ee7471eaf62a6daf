"""Task packages and the code that reads them and builds their base trees."""
