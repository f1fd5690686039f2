package dev.sluice.analytics.row;

import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.Interned;
import dev.sluice.analytics.statistic.Space;
import dev.sluice.contract.value.JobId;

/**
 * Ids of jobs as numbers, and the rows that they have: {@code job-17} is 17, and any other text a
 * number below 0.
 */
final class JobIds {
  private static final int NONE = -1;

  /** Number of each row's id, less the row. */
  private final IntColumn numberByRow;

  /** Rows of the numbers that are not their own rows. */
  private final IntColumn rowByNumber;

  private final IntColumn rowByOther;
  private final Interned<String> others = new Interned<>();
  private int size;

  JobIds(Space space) {
    numberByRow = new IntColumn(space, 0);
    rowByNumber = new IntColumn(space, NONE);
    rowByOther = new IntColumn(space, NONE);
  }

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
      numberByRow.set(row, -1 - other - row);
    }
    return row;
  }

  /** The row of {@code job-NUMBER}, a new one if the job has none. */
  int row(int number) {
    if (number < size && number(number) == number) {
      return number;
    }
    int row = rowByNumber.get(number);
    if (row == NONE) {
      row = size++;
      if (row != number) {
        rowByNumber.set(number, row);
        numberByRow.set(row, number - row);
      }
    }
    return row;
  }

  /** The number in an id {@code job-NUMBER}; below 0: the text is another one. */
  int number(int row) {
    return row + numberByRow.get(row);
  }

  String text(int row) {
    int number = number(row);
    return number >= 0 ? JobId.of(number) : others.get(-1 - number);
  }
}
