"""The paper 'torusbcast': its claims, and the studies and pictures that go with it."""
