package dev.sluice.contract.experiment;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The JSON Schema (draft 2020-12) of an experiment file, for editors. It is made from the reader
 * itself: the reader reads a file that makes it ask for every key, and the schema is what it asked.
 */
public final class ExperimentSchema {
  /** A file that makes the reader ask for every key: entries of each kind stand in it. */
  private static final String EVERY_KEY =
      """
      duration_seconds: 1
      arrival_rate_jobs_per_sec: 1
      classes:
        interactive: {}
        batch: {}
        quick: {slo_scale: 1, interactive: true}
        slow: {slo_scale: 1}
      workloads: [resnet18, resnet50, {name: mine, inputs: [{}]}, {synthetic: 1}]
      lanes: {drift: [{at_seconds: 0}]}
      microbatch: {models: {resnet18: {}}}
      load: {diurnal: {depth: 0}, steps: [{at_seconds: 0}]}
      """;

  private ExperimentSchema() {}

  /**
   * The schema's text.
   *
   * @param description what a key means, by dotted name; NAME stands for a class of the user's own
   */
  public static String text(Vocabulary vocabulary, Function<String, Optional<String>> description) {
    var schema = new Schema();
    vocabulary.schedulers().keySet().stream()
        .sorted() // each policy has weights of its own
        .forEach(scheduler -> record("scheduler_name", scheduler, vocabulary, schema));
    LoadReader.processes(vocabulary.arrivals()) // each process has keys of its own
        .forEach(process -> record("arrivals", process, vocabulary, schema));
    schema.mapping("arrivals").require("process");
    schema.namesOfItems("workloads", vocabulary.workloadTokens().keySet(), WorkloadReader.DEFAULTS);
    declareThresholds(schema.mapping("thresholds"), vocabulary);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    document.put("title", "Sluice experiment");
    document.putAll(schema.toMap(description));
    var separators =
        Separators.createDefaultInstance()
            .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
            .withArrayEmptySeparator("")
            .withObjectEmptySeparator("");
    var printer =
        new DefaultPrettyPrinter(separators).withObjectIndenter(new DefaultIndenter("  ", "\n"));
    try {
      return new ObjectMapper().writer(printer).writeValueAsString(document) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("maps of texts and numbers are always JSON", e);
    }
  }

  /** Declares the figures, which the reader asks for only where a file bounds them. */
  private static void declareThresholds(Schema schema, Vocabulary vocabulary) {
    Map<String, Object> bound =
        Schema.quotedOrFlagged(
            ThresholdReader.BOUND, ThresholdReader.BOUND_KEY, ThresholdReader.ABORT_KEY);
    vocabulary.figures().forEach(figure -> schema.declare(figure, bound));
    schema.moveToEnd(ThresholdReader.BY_CLASS_WORKLOAD);
    String name = ExperimentReader.NAME.pattern();
    String ofClasses = String.join("|", vocabulary.figuresOfClasses());
    for (String figures :
        List.of(
            name + "_(" + ofClasses + ")",
            ThresholdReader.BY_CLASS_WORKLOAD + "\\." + name + "\\..+\\.(" + ofClasses + ")")) {
      schema.declare(Pattern.compile(figures), bound);
    }
  }

  private static void record(String key, String name, Vocabulary vocabulary, Schema schema) {
    var place = new Place("every key", 0);
    var problems = new Problems("every key"); // of no interest: keys are asked for all the same
    try {
      if (!(ExperimentFile.yaml(EVERY_KEY, line -> place, problems) instanceof Mapping mapping)) {
        throw new IllegalStateException("the file of every key is no mapping");
      }
      Value value = new Scalar(place, name, false, false);
      if (key.equals("arrivals")) {
        value = new Mapping(place, new LinkedHashMap<>(Map.of("process", new Entry(place, value))));
      }
      mapping.entries().put(key, new Entry(place, value));
      var places = new HashMap<String, Place>();
      new ExperimentReader(problems, places, vocabulary)
          .read(Section.strict(mapping, problems, places, schema), "");
    } catch (UserMistakeException e) {
      throw new IllegalStateException("the file of every key is no YAML", e);
    }
  }
}
