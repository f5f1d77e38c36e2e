"""What people look at: pictures (draw), the explorer's pages (explore), the designer's report."""
