"""Exports, imports and erases a scope's memory in its table and bucket: for operators, without the tools' rules.

Only this and ``adapters.table`` know keys, attributes and conditions.
"""
