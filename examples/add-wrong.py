def add(a, b):
    return a + abs(b)
