"""Balance reports: evidence (what is played), claims (what it says), sections (what is shown), and the verb."""

from reports.balance.beside import compare_designs
from reports.balance.designs import RuleDesign, load_design
from reports.balance.report import BalanceReport, balance_report, make_document

__all__ = ["BalanceReport", "RuleDesign", "balance_report", "compare_designs", "load_design", "make_document"]
