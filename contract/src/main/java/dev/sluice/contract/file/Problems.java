package dev.sluice.contract.file;

import dev.sluice.contract.file.UserMistakeException.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Mistakes that a reader found in a file, or in a part of it: the first ones, in the order in which
 * they were found, and the number of all. Not safe for threads.
 */
public final class Problems {
  /** Most mistakes that are worth reading. */
  public static final int LISTED_MAX = 50;

  private final String source;
  private final int listedMax;
  private final List<Placed> listed = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private long count;

  private record Placed(Place place, Problem problem) {}

  /**
   * @param listedMax number of mistakes that are kept; the others are only counted
   */
  public Problems(String source, int listedMax) {
    this.source = source;
    this.listedMax = listedMax;
  }

  /** Problems of a small file, which are all kept. */
  public Problems(String source) {
    this(source, Integer.MAX_VALUE);
  }

  public void error(Place place, String what, String maybe) {
    add(new Placed(place, new Problem(place.toString(), what, maybe)));
  }

  private void add(Placed problem) {
    count++;
    if (listed.size() < listedMax) {
      listed.add(problem);
    }
  }

  public void addAll(Problems others) {
    others.listed.forEach(this::add);
    count += others.count - others.listed.size();
    warnings.addAll(others.warnings);
  }

  /** Notes a warning: a value that is allowed, but hardly meant. */
  public void warn(Place place, String what) {
    warnings.add(place + ": warning: " + what + ".");
  }

  /** Tells whether there is no mistake; warnings do not count. */
  public boolean isEmpty() {
    return count == 0;
  }

  /** The first mistake found, as {@code file:line: what is wrong}; there must be one. */
  public String firstInWords() {
    Problem first = listed.get(0).problem;
    return first.location() + ": " + first.what();
  }

  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** Throws the mistakes, if there are any, by line; mistakes of overrides come last. */
  public void throwIfAny() throws UserMistakeException {
    throwIfAny(List.of(this));
  }

  /** Throws the mistakes of several files, if there are any: by file, then by line. */
  public static void throwIfAny(List<Problems> byFile) throws UserMistakeException {
    List<Problem> all = new ArrayList<>();
    for (Problems problems : byFile) {
      problems.listed.stream()
          .sorted(Comparator.comparing(Placed::place))
          .forEach(placed -> all.add(placed.problem));
      long more = problems.count - problems.listed.size();
      if (more > 0) {
        all.add(
            new Problem(
                problems.source,
                "mistakes beyond these (" + more + ") are not listed",
                "the first ones explain them"));
      }
    }
    if (!all.isEmpty()) {
      throw new UserMistakeException(all);
    }
  }
}
