package dev.sluice.producer.arrivals;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.LoadShape.Rates;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.CsvRows;
import dev.sluice.contract.file.CsvRows.Row;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.producer.arrivals.SegmentedTime.Segment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A CSV file of rates over time: columns {@code second} and {@code rate}, a row for each change.
 * Only the proportions of the rates count: they are scaled so that their mean over the measured
 * window is the experiment's rate.
 */
public final class RateFile {
  private static final List<String> COLUMNS = List.of("second", "rate");
  private static final Range NUMBERS = Range.within(0, 1e12);

  private RateFile() {}

  /**
   * Reads the file that an experiment's {@code load.rates} names, unless it is missing or wrong, or
   * asks for more jobs than the list may hold.
   */
  public static RescaledTime read(ParsedExperiment parsed, Rates rates, int jobsMax)
      throws UserMistakeException {
    Path file = parsed.resolve(rates.file());
    if (!Files.exists(file)) {
      throw new UserMistakeException(
          parsed.location("load.rates"),
          "load.rates (" + file + ") does not exist",
          "the path is wrong; it counts from the folder of the experiment file");
    }
    Experiment.Load load = parsed.experiment().load();
    List<Segment> absolute = segments(file);
    var time = new SegmentedTime(absolute);
    double mean =
        (time.integralSeconds(load.durationSeconds()) - time.integralSeconds(load.warmupSeconds()))
            / load.measuredSeconds();
    if (!(mean > 0)) {
      throw new UserMistakeException(
          parsed.location("load.rates"),
          "load.rates (%s) has no rate above 0 from warmup_seconds (%s) to duration_seconds (%s)"
              .formatted(
                  file, Numbers.text(load.warmupSeconds()), Numbers.text(load.durationSeconds())),
          "its seconds should begin with the run, at 0");
    }
    double jobs =
        load.arrivalRateJobsPerSec()
            * time.integralSeconds(load.durationSeconds() + load.tailSeconds())
            / mean;
    if (jobs > jobsMax) {
      throw new UserMistakeException(
          parsed.location("load.rates"),
          "load.rates (%s) asks for about %s jobs up to duration_seconds + tail_seconds, more than %s"
              .formatted(file, Numbers.text(Math.rint(jobs)), Numbers.text(jobsMax)),
          "arrival_rate_jobs_per_sec should be lower, or warmup_seconds or tail_seconds shorter");
    }
    return new SegmentedTime(
        absolute.stream().map(s -> new Segment(s.fromSeconds(), s.factor() / mean, 0)).toList());
  }

  private static List<Segment> segments(Path file) throws UserMistakeException {
    CsvRows csv = CsvRows.read(file, "file of rates");
    for (String column : COLUMNS) {
      if (csv.columns().stream().filter(column::equals).count() != 1) {
        String what =
            csv.columns().contains(column)
                ? "the column " + column + " stands here twice"
                : "the column " + column + " is missing";
        String maybe = "the first line should be: second,rate";
        throw csv.isEmpty()
            ? new UserMistakeException(file.toString(), what, maybe)
            : csv.header().mistake(what, maybe);
      }
    }
    if (csv.rows().isEmpty()) {
      throw csv.header().mistake("the file of rates has no row", "you meant a row 0,10 below");
    }
    List<Segment> segments = new ArrayList<>();
    double before = -1;
    for (Row row : csv.rows()) {
      row.checkWidth("a comma is missing, or is too many");
      double second = number(row, "second");
      double rate = number(row, "rate");
      if (segments.isEmpty() && second != 0) {
        throw row.mistake(
            "second (" + row.text("second") + ") of the first row must be 0, when the run begins",
            "a row 0,0 above it says that nothing arrives before");
      }
      if (second <= before) {
        throw row.mistake(
            "second (%s) is not after that of the row above it, %s"
                .formatted(row.text("second"), Numbers.text(before)),
            "the rows should be sorted by time, and each second should stand once");
      }
      before = second;
      segments.add(new Segment(second, rate, 0));
    }
    return segments;
  }

  private static double number(Row row, String column) throws UserMistakeException {
    return row.number(
        column, NUMBERS, "you meant seconds since the run's beginning, and jobs a second");
  }
}
