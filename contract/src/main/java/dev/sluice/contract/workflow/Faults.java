package dev.sluice.contract.workflow;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What is wrong with a file or a part of it: the first mistakes found, and how many there are. */
final class Faults {
  private static final int KEPT_MAX = 50;

  private final Path file;
  private final List<Fault> kept = new ArrayList<>();
  private long count;

  private record Fault(int line, Problem problem) {}

  Faults(Path file) {
    this.file = file;
  }

  void add(int line, String what, String maybe) {
    add(new Fault(line, new Problem(file + ":" + line, what, maybe)));
  }

  private void add(Fault fault) {
    count++;
    if (kept.size() < KEPT_MAX) {
      kept.add(fault);
    }
  }

  /** Adds those of the same file. */
  void addAll(Faults others) {
    others.kept.forEach(this::add);
    count += others.count - others.kept.size();
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** The first of them as {@code file:line: what is wrong}; there is one. */
  String firstInWords() {
    Problem first = kept.get(0).problem;
    return first.location() + ": " + first.what();
  }

  /** The exception for a mistake after which the file can not be read on. */
  UserMistakeException fatal(int line, String what, String maybe) {
    return new UserMistakeException(line > 0 ? file + ":" + line : file.toString(), what, maybe);
  }

  /** Throws the mistakes of several files, each one's by line. */
  static void throwIfAny(List<Faults> byFile) throws UserMistakeException {
    List<Problem> problems = new ArrayList<>();
    for (Faults faults : byFile) {
      faults.kept.stream()
          .sorted(Comparator.comparingInt(Fault::line))
          .forEach(fault -> problems.add(fault.problem));
      long more = faults.count - faults.kept.size();
      if (more > 0) {
        problems.add(
            new Problem(
                faults.file.toString(),
                "mistakes beyond these (" + more + ") are not listed",
                "the first ones explain them"));
      }
    }
    if (!problems.isEmpty()) {
      throw new UserMistakeException(problems);
    }
  }
}
