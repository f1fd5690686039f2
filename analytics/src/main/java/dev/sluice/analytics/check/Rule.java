package dev.sluice.analytics.check;

import java.util.Locale;

/** A rule that a legal schedule keeps. */
public enum Rule {
  FORMAT("each row has what it must have"),
  TIME("times are in order, and add up"),
  NODE_ONCE("each node of each request ran exactly once, and no other"),
  JOB_ONCE("each job has exactly one outcome, and none is missing"),
  BATCH_ONCE("each batch ended once, and held the jobs that say so"),
  ORDER("nothing began before its inputs were done, or before it arrived"),
  GPU_OVERLAP("no GPU was taken twice at a time"),
  LANE_OVERLAP("no lane ran two batches at a time"),
  GANG("the GPUs of a gang are neighbors, taken together"),
  MODEL_FITS("each node ran its own model, on as many GPUs as that needs"),
  SWITCH("each switch took as long as what was resident demands"),
  DURATION("each node took as long as its request says"),
  TOKENS("the tokens in use stayed within the budget"),
  COMPATIBLE("batches joined only jobs that may be joined, within the size"),
  WINDOW("each batch began when its set was full, or held a job that had waited its window"),
  SUMMARY("the summary is what its rows come to");

  private final String meaning;

  Rule(String meaning) {
    this.meaning = meaning;
  }

  /** The rule in words. */
  public String meaning() {
    return meaning;
  }

  /** The rule as it is printed: {@code gpu-overlap}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
