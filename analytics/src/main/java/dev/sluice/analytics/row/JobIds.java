package dev.sluice.analytics.row;

import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.Interned;
import dev.sluice.contract.value.JobId;

/**
 * Ids of jobs as numbers, and the rows that they have: {@code job-17} is 17, and any other text a
 * number below 0.
 */
final class JobIds {
  private static final int NONE = -1;

  private final IntColumn numberByRow = new IntColumn(0);
  private final IntColumn rowByNumber = new IntColumn(NONE);
  private final IntColumn rowByOther = new IntColumn(NONE);
  private final Interned<String> others = new Interned<>();
  private int size;

  int size() {
    return size;
  }

  /** The row of a job, a new one if the job has none. */
  int row(String jobId) {
    int number = JobId.index(jobId);
    if (number >= 0) {
      return row(number);
    }
    int other = others.number(jobId);
    int row = rowByOther.get(other);
    if (row == NONE) {
      row = size++;
      rowByOther.set(other, row);
      numberByRow.set(row, -1 - other);
    }
    return row;
  }

  /** The row of {@code job-NUMBER}, a new one if the job has none. */
  private int row(int number) {
    int row = rowByNumber.get(number);
    if (row == NONE) {
      row = size++;
      rowByNumber.set(number, row);
      numberByRow.set(row, number);
    }
    return row;
  }

  /** The number in an id {@code job-NUMBER}; below 0: the text is another one. */
  int number(int row) {
    return numberByRow.get(row);
  }

  String text(int row) {
    int number = number(row);
    return number >= 0 ? JobId.of(number) : others.get(-1 - number);
  }
}
