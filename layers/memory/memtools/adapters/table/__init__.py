"""The DynamoDB table: the only place that knows its keys, attributes and conditions."""
