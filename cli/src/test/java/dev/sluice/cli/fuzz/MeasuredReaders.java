package dev.sluice.cli.fuzz;

import static dev.sluice.cli.fuzz.FuzzedReader.CONFIGS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.LatencyTable;
import dev.sluice.executor.latency.ProfileFile;
import dev.sluice.producer.trace.Trace;
import dev.sluice.producer.trace.Trace.TraceOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Profiles, latency tables and traces: tables of what was measured. */
final class MeasuredReaders {
  private static final String PROFILE =
      """
      # device: cpu
      device_kind,workload,backend,precision,threads,samples,busy_lanes,pass,repeat,at_s,service_ms,foreign_load,flops_per_sample,parameters
      cpu,resnet18,onnx,fp32,1,1,1,1,1,0.5,12.345678,0.03,3600000000,11689512
      cpu,resnet18,onnx,fp32,1,1,2,1,2,0.75,15.1,,3600000000,11689512
      "cpu, old",vit_tiny,pytorch,fp32,1,8,1,1,1,1.000001,80,1,0,0
      cpu,vit_tiny,pytorch,fp32,1,8,1,2,1,1e2,79.5,0.125,0,0
      """;

  private static final List<String> TRACES =
      List.of(
          """
          time_s,class,workload,backend,precision,samples,slo_ms
          0,interactive,resnet18,onnx,fp32,1,100
          0.5,batch,resnet50,onnx,fp32,8,1000
          1.250000001,"interactive",resnet18,onnx,fp32,1,99.5
          2,,,,,,
          """,
          """
          {"time_s":0}
          {"time_s":0.5,"class":"batch","workload":"resnet50","backend":"onnx","precision":"fp32"}
          {"time_s":0.75,"samples":8,"slo_ms":1000,"note":{"of":["no",{"interest":1}]}}
          {"time_s":"2","class":null}
          """,
          """
          app,func,end_timestamp,duration
          a1,f1,1.5,1.0
          a1,f2,2.0,1.75
          a2,f1,2.5,0.25
          """,
          """
          TIMESTAMP,ContextTokens,GeneratedTokens
          2023-11-16 18:15:46.6805900,374,44
          2023-11-16 18:15:50.9951690,396,109
          """,
          """
          TIMESTAMP,NumImages,ContextTokens,GeneratedTokens
          2024-10-15 12:00:01.123456+00:00,1,40,10
          2024-10-15 12:00:02.123456+00:00,3,40,10
          """,
          """
          Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
          5,ChatGPT,40,3,43,Conversation log
          45,GPT-4,40,0,40,API log
          """,
          """
          {"timestamp": 3000, "input_length": 60, "output_length": 5, "hash_ids": [1, 2]}
          {"timestamp": 6000, "input_length": 60, "output_length": 5, "hash_ids": [3, 2]}
          """,
          """
          {"chat_id": 1, "parent_chat_id": -1, "timestamp": 1.25, "input_length": 60, "output_length": 5, "type": "text", "turn": 1, "hash_ids": [1, 2]}
          {"chat_id": 2, "parent_chat_id": 1, "timestamp": 2.25, "input_length": 60, "output_length": 5, "type": "text", "turn": 2, "hash_ids": [1, 2]}
          """,
          """
          gmt_create,predict_type,predict_status,exec_time_seconds,groupId,prompt_length,negative_prompt_length,num_images_per_prompt,num_inference_steps,checkpoint_model_version_id,num_lora
          2024-11-15 16:57:50,txt2img,ok,3,g1,80,10,1,20,c1,0
          2024-11-15 16:57:51,txt2img,ok,3,g1,80,10,2,20,c1,0
          """,
          functions2019());

  private MeasuredReaders() {}

  private static String functions2019() {
    return "HashOwner,HashApp,HashFunction,Trigger,"
        + IntStream.rangeClosed(1, 1440)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(","))
        + "\no1,a1,f1,http,3"
        + ",0".repeat(1438)
        + ",2\n";
  }

  static Stream<FuzzedReader> all() {
    return Stream.of(
        new FuzzedReader("profiles", List.of(PROFILE), MeasuredReaders::profile),
        new FuzzedReader(
            "latency tables",
            Stream.of("cpu-2core.csv", "accelerator-like.csv", "published/clockwork-v100.csv")
                .map(name -> FuzzedReader.text(CONFIGS.resolve("latency").resolve(name)))
                .toList(),
            MeasuredReaders::latencyTable),
        new FuzzedReader("traces", TRACES, MeasuredReaders::trace));
  }

  private static void profile(Path folder, byte[] input) throws Exception {
    ProfileFile.Contents read = ProfileFile.read(Files.write(folder.resolve("p.csv"), input));
    Path once = written(folder.resolve("once.csv"), read);
    Path twice = written(folder.resolve("twice.csv"), ProfileFile.read(once));
    assertThat(twice).hasSameBinaryContentAs(once); // the first writing rounds
    assertThat(ProfileFile.read(once).rows())
        .extracting(row -> List.of(row.deviceKind(), row.slot(), row.serviceNs()))
        .isEqualTo(
            read.rows().stream()
                .map(row -> List.of(row.deviceKind(), row.slot(), row.serviceNs()))
                .toList());
    Path table = folder.resolve("of-profile.csv");
    LatencyTable.write(table, "cpu", List.of(), read.rows());
    LatencyTable written = LatencyTable.read(table);
    assertThat(read.rows()).allMatch(row -> written.holds(row.key().model()));
  }

  private static Path written(Path file, ProfileFile.Contents contents) throws Exception {
    Files.deleteIfExists(file);
    ProfileFile.create(file, contents.comments());
    ProfileFile.append(file, contents.rows());
    return file;
  }

  private static void latencyTable(Path folder, byte[] input) throws Exception {
    LatencyTable table = LatencyTable.read(Files.write(folder.resolve("l.csv"), input));
    for (ModelKey model : table.models()) {
      assertThat(table.loadMs(model))
          .satisfiesAnyOf(ms -> assertThat(ms).isNull(), ms -> assertThat(ms).isBetween(0.0, 1e9));
      assertThat(table.memoryMb(model, 3))
          .satisfiesAnyOf(mb -> assertThat(mb).isNull(), mb -> assertThat(mb).isPositive());
    }
    for (String workload : List.of("resnet18", "resnet50", "vit", "vit_tiny")) {
      for (String backend : List.of("onnx", "pytorch")) {
        var model = new ModelKey(workload, backend, "fp32");
        if (table.holds(model)) {
          assertThat(table.meanMs(model, 4096, 1000)).isFinite().isPositive();
          assertThat(table.meanMs(model, 3, 3)).isFinite().isPositive();
          assertThat(table.spread(model, 3)).isBetween(0.0, 2.0);
        }
      }
    }
  }

  private static void trace(Path folder, byte[] input) throws Exception {
    Path file = Files.write(folder.resolve("t.csv"), input);
    Trace read =
        Trace.read(
            file,
            new TraceOptions(Map.of(), names -> List.of(), TraceOptions.WHOLE.window(), true, 7));
    List<Long> times = read.requests().stream().map(RecordedRequest::intendedAtNs).toList();
    assertThat(times).isSorted().allMatch(ns -> ns >= 0);
    long left = read.leftOut().values().stream().mapToLong(Long::longValue).sum();
    assertThat(read.read()).isEqualTo(times.size() + left);
  }
}
