"""AdviceService: what to play, from what the asking seat may know; it signs nothing and remembers no round."""
