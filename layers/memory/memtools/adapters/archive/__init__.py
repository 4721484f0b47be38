"""A scope's memory taken out of its table and bucket, put in, and erased: for operators, past the rules of the tools.

Beside ``adapters.table`` this is the only code that knows keys, attributes and conditions.
"""
