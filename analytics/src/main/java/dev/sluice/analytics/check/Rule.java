package dev.sluice.analytics.check;

import java.util.Locale;

/** A rule that a legal schedule keeps. */
public enum Rule {
  MEASURED("the run measured something"),
  FORMAT("each row has what it must have"),
  NAME("all files name the same run, policy and seed"),
  TIME("times are in order, and durations are what times come to"),
  PROMISE("slo_violation says whether the job kept its promise"),
  NODE_ONCE("each node of each request ran exactly once, and no other"),
  JOB_ONCE("each job has exactly one outcome, and none is missing"),
  BATCH_ONCE("each batch stands once, and holds the jobs that name it, with their samples"),
  RESULT("each batch ended the jobs that its result says; no job ran in two done batches"),
  COPY("what a job's row says of its batch is what the batch's row says"),
  ATTEMPT("attempts count from 1, and stay within max_attempts"),
  ORDER("nothing began before its inputs were done, or before it arrived"),
  GPU_OVERLAP("no GPU was taken twice at a time"),
  LANE("lanes are those of the config"),
  LANE_OVERLAP("no lane ran two batches at a time"),
  GANG("the GPUs of a gang are neighbors, taken together"),
  MODEL_FITS("each node ran its own model, on as many GPUs as that needs"),
  SWITCH("each switch took as long as what was resident demands"),
  DURATION("each node took as long as its request says"),
  PHASE("the phase follows from the intended arrival and the measured window"),
  CLASS("each job has the promise of its class"),
  KIND("models, engines, precisions and sizes are those of the config"),
  COST("tokens are what their formula comes to"),
  MEMORY("the models that a lane held and loaded took no more than its memory"),
  RESIDENT("each batch ran while its lane held its model"),
  TOKENS("the tokens in use stayed within the budget"),
  COMPATIBLE("batches joined only jobs that may be joined, within the size"),
  WINDOW("each batch began when its set was full, or held a job that had waited its window"),
  REQUESTS("the jobs are those that the seed draws, at their times: none missing, none foreign"),
  DIGEST("the list that the seed draws has the digest that the run states"),
  LOG("rows are what the run's log holds"),
  SUMMARY("the summary is what its rows come to");

  private final String meaning;

  Rule(String meaning) {
    this.meaning = meaning;
  }

  public String meaning() {
    return meaning;
  }

  /** The rule as it is printed: {@code gpu-overlap}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
