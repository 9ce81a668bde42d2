from tests.chaos.report import chaos_report

__all__ = ["chaos_report"]
