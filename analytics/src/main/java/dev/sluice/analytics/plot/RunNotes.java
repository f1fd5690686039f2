package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.RunHead;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.folder.Verdict;
import dev.sluice.analytics.statistic.Decimals;
import java.util.ArrayList;
import java.util.List;

/**
 * Short forms of what the closing table says against a run's numbers: a busy machine, clocks that
 * differ, a queue that rose, lanes that emulated badly, and the reasons of a run that tells nothing
 * of its policy. Each picture of the run carries them below its title.
 */
final class RunNotes {
  private static final int REASONS_SHOWN_MAX = 2;
  private static final int REASON_LENGTH_MAX = 120;

  private RunNotes() {}

  /** Returns the notes in the order of their weight; empty if nothing is to be said. */
  static List<String> of(Summary summary) {
    List<String> notes = new ArrayList<>();
    List<String> failures = failures(summary);
    if (!failures.isEmpty()) {
      notes.add("failed: " + joined(failures));
    } else if (!summary.notComparableReasons().isEmpty()) {
      notes.add(Summary.NOT_COMPARABLE_BECAUSE + joined(summary.notComparableReasons()));
    }
    if (summary.values().get("notes") instanceof List<?> all) {
      for (Object one : all) {
        String note = String.valueOf(one);
        if (note.startsWith(Summary.BUSY_MACHINE)) {
          notes.add(note.replace(" of its processors meanwhile", ""));
        } else if (note.startsWith(RunHead.CLOCKS_DIFFER)) {
          notes.add(note);
        }
      }
    }
    if (isTrue(summary, "unstable")) {
      notes.add("unstable: the queue rose over the whole window");
    }
    if (isTrue(summary, "tail_limit_reached")) {
      notes.add("measured jobs still waited when the tail was over");
    }
    Double lateMs = summary.figure("emulation_late_p99_ms");
    if (isTrue(summary, "emulation_late") && lateMs != null) {
      notes.add("emulation late: p99 " + Decimals.short3(lateMs) + " ms off");
    }
    return notes;
  }

  /** Reasons of a failed run that are neither a threshold nor a note of their own. */
  private static List<String> failures(Summary summary) {
    if (summary.verdict() != Verdict.FAILED) {
      return List.of();
    }
    List<String> reasons = new ArrayList<>();
    for (String reason : summary.verdictReasons()) {
      if (!reason.startsWith(Summary.NOT_COMPARABLE_BECAUSE)
          && !reason.startsWith("threshold ")
          && !reason.startsWith("unstable")) {
        reasons.add(reason);
      }
    }
    if (isTrue(summary, "interrupted")) {
      reasons.add("interrupted");
    }
    return reasons;
  }

  private static boolean isTrue(Summary summary, String name) {
    return Boolean.TRUE.equals(summary.values().get(name));
  }

  private static String joined(List<String> reasons) {
    int shown = Math.min(reasons.size(), REASONS_SHOWN_MAX);
    String text =
        String.join("; ", reasons.subList(0, shown).stream().map(RunNotes::shortened).toList());
    return shown == reasons.size() ? text : text + "; and " + (reasons.size() - shown) + " more";
  }

  private static String shortened(String reason) {
    String line = reason.strip().replaceAll("\\s+", " ");
    return line.length() <= REASON_LENGTH_MAX
        ? line
        : line.substring(0, REASON_LENGTH_MAX - 1).stripTrailing() + "…";
  }
}
