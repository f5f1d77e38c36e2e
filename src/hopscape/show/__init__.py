"""What people look at: pictures (``draw``) and the explorer's pages (``explore``)."""
