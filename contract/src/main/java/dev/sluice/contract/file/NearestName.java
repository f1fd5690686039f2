package dev.sluice.contract.file;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

public final class NearestName {
  private NearestName() {}

  /** The advice for an unknown name: the nearest known one, if any is near, and all of them. */
  public static String advice(String written, Collection<String> known, String plural) {
    String all = known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known));
    return of(written, known)
        .map(nearest -> "you meant " + nearest + ". Known " + plural + ": " + all)
        .orElse("you meant one of the known " + plural + ": " + all);
  }

  /** The known name that takes the fewest edits, at most 2 or a third of its letters. */
  public static Optional<String> of(String written, Collection<String> known) {
    return known.stream()
        .filter(name -> isNear(written, name))
        .min(
            Comparator.<String>comparingInt(name -> edits(written, name))
                .thenComparing(name -> name));
  }

  private static boolean isNear(String written, String name) {
    int most = Math.max(2, name.length() / 3);
    return Math.abs(written.length() - name.length()) <= most && edits(written, name) <= most;
  }

  /** Levenshtein's distance: single letters inserted, removed or replaced; case does not count. */
  static int edits(String from, String to) {
    String a = from.toLowerCase(Locale.ROOT);
    String b = to.toLowerCase(Locale.ROOT);
    int[] row = new int[b.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
