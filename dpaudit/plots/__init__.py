"""Pictures of reports and estimates (extra ``plot``); matplotlib is imported when one is drawn."""

from dpaudit.plots.estimates import plot_estimate
from dpaudit.plots.report import PANELS, plot_report

__all__ = ["PANELS", "plot_estimate", "plot_report"]
