"""The ports on AWS. Only these modules, and the wiring that makes their clients, import boto3."""
