"""The papers: claims, studies and pictures, one room each."""
