"""The ports on AWS. The only modules that import boto3, beside the wiring that makes its clients."""
