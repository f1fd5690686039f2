package dev.sluice.producer.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringJoiner;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Made-up traces of twelve rows in each known format. No row is of a real trace. */
final class TraceSamples {
  static final String OWN =
      """
      time_s,class,workload,backend,precision,samples,slo_ms
      0,interactive,resnet18,onnx,fp32,1,100
      0.5,batch,resnet50,onnx,fp32,8,1000
      0.5,batch,resnet50,onnx,fp32,8,1000
      1.25,interactive,resnet18,onnx,fp32,1,100
      1.250000001,interactive,resnet18,onnx,fp32,1,99.5
      2,,,,,,
      3,batch,resnet50,,,,
      3.5,batch,resnet50,onnx,fp32,8,1000
      4,interactive,resnet18,onnx,fp32,1,100
      5e0,interactive,resnet18,onnx,fp32,1,100
      6.000,interactive,resnet18,onnx,fp32,1,100
      7,interactive,resnet18,onnx,fp32,1,100
      """;

  static final String OWN_JSON =
      """
      {"time_s":0}
      {"time_s":0.5,"class":"batch","workload":"resnet50","backend":"onnx","precision":"fp32"}
      {"time_s":0.5,"samples":8,"class":"batch","workload":"resnet50","slo_ms":1000}
      {"time_s":1.25}
      {"time_s":1.250000001,"slo_ms":99.5}
      {"time_s":"2"}
      {"time_s":3,"note":{"of":["no",{"interest":1}]}}
      {"time_s":3.5}
      {"time_s":4}
      {"time_s":5e0}
      {"time_s":6.000}
      {"time_s":7,"class":null}
      """;

  static final String AZURE_FUNCTIONS_2021 =
      """
      app,func,end_timestamp,duration
      a1,f1,1.5,1.0
      a1,f2,2.0,1.75
      a2,f1,2.5,0.25
      a2,f3,3.0,0.125
      a1,f1,3.5,0.5
      a3,f4,4.0,4.5
      a1,f1,5.0,0.5
      a1,f2,5.5,3.0
      a2,f1,6.0,0.25
      a2,f3,7.0,0.125
      a1,f1,8.0,0.5
      a3,f4,9.0,0.001
      """;

  static final String AZURE_LLM_2023 =
      dated("TIMESTAMP,ContextTokens,GeneratedTokens", "2023-11-16 18:15:%02d.6805900,%d,10");

  static final String AZURE_LLM_2024 =
      dated("TIMESTAMP,ContextTokens,GeneratedTokens", "2024-05-10 00:00:%02d.009930+00:00,%d,10");

  static final String AZURE_LMM_2025 =
      dated(
          "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens",
          "2024-10-15 12:00:%02d.123456+00:00,%d,40,10");

  static final String BURST_GPT =
      numbered(
          "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type",
          i -> "%d,ChatGPT,40,%d,%d,Conversation log".formatted(5 * i, i % 6, 40 + i % 6));

  static final String BURST_GPT_WITH_SESSIONS =
      numbered(
          "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log"
              + " Type",
          i -> "%d,s%d,1.5,GPT-4,40,%d,%d,API log".formatted(5 * i, i % 3, i % 6, 40 + i % 6));

  static final String MOONCAKE =
      numbered(
          "",
          i ->
              "{\"timestamp\": %d, \"input_length\": 60, \"output_length\": 5, \"hash_ids\": [%d, 2]}"
                  .formatted(3000 * (i / 3), i));

  static final String QWEN_BAILIAN =
      numbered(
          "",
          i ->
              "{\"chat_id\": %d, \"parent_chat_id\": -1, \"timestamp\": %d.25, \"input_length\": 60,"
                      .formatted(i, i)
                  + " \"output_length\": 5, \"type\": \"text\", \"turn\": 1, \"hash_ids\": [1, 2]}");

  static final String ALIBABA_GEN_AI =
      numbered(
          "gmt_create,predict_type,predict_status,exec_time_seconds,groupId,prompt_length,"
              + "negative_prompt_length,num_images_per_prompt,num_inference_steps,"
              + "checkpoint_model_version_id,num_lora",
          i ->
              "2024-11-15 16:57:%02d,txt2img,ok,3,g1,80,10,%d,20,c1,0"
                  .formatted(50 + i / 4, 1 + i % 4));

  private TraceSamples() {}

  /** Twelve functions, each called as often as its number, in the minute of its number. */
  static String azureFunctions2019() {
    return azureFunctions2019(1440);
  }

  static String azureFunctions2019(int minutes) {
    var header = new StringJoiner(",").add("HashOwner,HashApp,HashFunction,Trigger");
    IntStream.rangeClosed(1, minutes).forEach(minute -> header.add(Integer.toString(minute)));
    return numbered(
        header.toString(),
        i -> {
          var row = new StringJoiner(",").add("o1,a1,f%d,http".formatted(i));
          for (int minute = 1; minute <= minutes; minute++) {
            row.add(minute == i + 1 ? Integer.toString(i) : "0");
          }
          return row.toString();
        });
  }

  private static String dated(String header, String row) {
    return numbered(header, i -> row.formatted(40 + i, i));
  }

  private static String numbered(String header, IntFunction<String> row) {
    return (header.isEmpty() ? "" : header + "\n")
        + IntStream.range(0, 12).mapToObj(row).collect(Collectors.joining("\n", "", "\n"));
  }

  static Path write(Path folder, String text) throws IOException {
    return Files.writeString(Files.createTempFile(folder, "trace", ".csv"), text);
  }
}
