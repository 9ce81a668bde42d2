import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import referee.v1.Arrangement;
import referee.v1.Card;
import referee.v1.DealRoundRequest;
import referee.v1.DealRoundResponse;
import referee.v1.LogReceipt;
import referee.v1.MauBinhEvent;
import referee.v1.MauBinhRound;
import referee.v1.MauBinhServiceGrpc;
import referee.v1.MauBinhServicePreviewRoundRequest;
import referee.v1.MauBinhServiceSettleRoundRequest;
import referee.v1.MauBinhServiceSettleRoundResponse;
import referee.v1.OpenRoundRequest;
import referee.v1.OpenRoundResponse;
import referee.v1.RevealRoundRequest;
import referee.v1.RevealRoundResponse;
import referee.v1.RoundTerms;
import referee.v1.ShufflerServiceGrpc;

/** {@code Smoke HOST:PORT LOG_KEY VECTORS}: deals, settles and verifies one round of Mau Binh; prints a line of JSON. */
final class Smoke {
  private static final int SEATS = 4;
  private static final HexFormat HEX = HexFormat.of();
  private static final SecureRandom RANDOM = new SecureRandom();

  private interface Check {
    boolean holds(JsonObject row);
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("vectors", checkVectors(Path.of(arguments[2])));
    ManagedChannel channel = ManagedChannelBuilder.forTarget(arguments[0]).usePlaintext().build();
    // How soon a server that is back is found: gRPC's pause between attempts grows to 2 min, and has no setting in Java.
    var timer = Executors.newSingleThreadScheduledExecutor();
    timer.scheduleAtFixedRate(channel::resetConnectBackoff, 2, 2, TimeUnit.SECONDS);
    try {
      found.putAll(play(channel, arguments[1]));
    } catch (Receipt.Refused | io.grpc.StatusRuntimeException error) {
      fail(error.getMessage());
    } finally {
      timer.shutdownNow();
      channel.shutdownNow();
    }
    System.out.println(new Gson().toJson(found));
  }

  private static Map<String, Object> play(ManagedChannel channel, String logKey) throws Exception {
    var shuffler = ShufflerServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
    var referee = MauBinhServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);

    String table = "smoke-java-" + HEX.formatHex(random(6).toByteArray());
    RoundTerms terms =
        RoundTerms.newBuilder()
            .setTableId(table)
            .setRulesetId("mau_binh.classic")
            .setSeatCount(SEATS)
            .setCurrency("CHIP")
            .setStakeMinor(10)
            .build();
    OpenRoundResponse opened = shuffler.openRound(OpenRoundRequest.newBuilder().setTerms(terms).build());
    DealRoundRequest.Builder deal = DealRoundRequest.newBuilder().setRound(opened.getHeader().getRound());
    for (int seat = 0; seat < SEATS; seat++) {
      deal.addClientSeeds(random(32));
    }
    DealRoundResponse dealt = shuffler.dealRound(deal.build());
    MauBinhRound.Builder round =
        MauBinhRound.newBuilder().setHeader(opened.getHeader()).addCertificates(dealt.getCertificate());
    var preview = referee.previewRound(MauBinhServicePreviewRoundRequest.newBuilder().setRound(round).build());
    if (preview.getViolationsCount() > 0) { // nobody has won at once: every seat puts its cards down as they were dealt
      for (var hand : dealt.getHandsList()) {
        List<Card> cards = hand.getCardsList();
        Arrangement arrangement =
            Arrangement.newBuilder()
                .addAllBack(cards.subList(0, 5))
                .addAllMiddle(cards.subList(5, 10))
                .addAllFront(cards.subList(10, 13))
                .build();
        round.addEvents(
            MauBinhEvent.newBuilder().setTime(dealt.getDealtTime()).setSeat(hand.getSeat()).setArrange(arrangement));
      }
    }
    MauBinhServiceSettleRoundResponse settled =
        referee.settleRound(MauBinhServiceSettleRoundRequest.newBuilder().setRound(round).build());
    if (settled.getViolationsCount() > 0) {
      throw new Receipt.Refused("the round cannot be settled: " + settled.getViolationsList());
    }
    LogReceipt receipt = settled.getLogReceipt();
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("table_id", table);
    found.put("leaf_index", receipt.getLeafIndex());
    byte[] leafHash = MessageDigest.getInstance("SHA-256").digest(receipt.getLeaf().toByteArray());
    found.put("leaf_sha256", HEX.formatHex(leafHash));
    found.put("tree_size", verify(receipt, logKey));
    found.put("net", settled.getOutcome().getSeatsList().stream().map(seat -> seat.getNetMinor()).toList());

    RevealRoundRequest asked = RevealRoundRequest.newBuilder().setRound(opened.getHeader().getRound()).build();
    RevealRoundResponse revealed = shuffler.revealRound(asked);
    verify(opened.getLogReceipt(), logKey);
    verify(revealed.getLogReceipt(), logKey);
    ByteString seed = revealed.getServerSeed();
    ByteString commitment = opened.getServerCommitment();
    boolean isLogged = names(opened.getLogReceipt(), commitment) && names(revealed.getLogReceipt(), seed);
    if (!isLogged
        || !Receipt.isCommitted(seed.toByteArray(), opened.getRoundId().toByteArray(), commitment.toByteArray())) {
      throw new Receipt.Refused("the seed is not the one that the log was committed to");
    }
    found.put("seed", HEX.formatHex(seed.toByteArray()));
    return found;
  }

  private static long verify(LogReceipt receipt, String logKey) throws Receipt.Refused {
    StringBuilder text = new StringBuilder("c2sp.org/tlog-proof@v1\nindex " + receipt.getLeafIndex() + "\n");
    for (ByteString hash : receipt.getInclusionProofList()) {
      text.append(Base64.getEncoder().encodeToString(hash.toByteArray())).append("\n");
    }
    text.append("\n").append(receipt.getCheckpoint());
    String origin = logKey.substring(0, logKey.indexOf('+'));
    return Receipt.verify(text.toString(), receipt.getLeaf().toByteArray(), origin, List.of(logKey));
  }

  /** Returns whether the payload of a leaf has these bytes, as hex. */
  private static boolean names(LogReceipt receipt, ByteString bytes) {
    JsonObject envelope = JsonParser.parseString(receipt.getLeaf().toStringUtf8()).getAsJsonObject();
    byte[] payload = Base64.getDecoder().decode(envelope.get("payload").getAsString());
    return new String(payload).contains('"' + HEX.formatHex(bytes.toByteArray()) + '"');
  }

  private static Map<String, Integer> checkVectors(Path folder) throws IOException {
    Map<String, Check> checks = new LinkedHashMap<>();
    checks.put("log/receipt", row -> isProved(row) == row.get("holds").getAsBoolean());
    checks.put(
        "log/merkle_inclusion",
        row -> {
          long index = row.get("index").getAsLong();
          List<byte[]> proof = new ArrayList<>();
          row.get("proof").getAsJsonArray().forEach(hash -> proof.add(unhex(hash)));
          return Receipt.isIncluded(
              unhex(row.get("leaf_hash")), index, row.get("size").getAsLong(), proof, unhex(row.get("root")));
        });
    checks.put(
        "evidence/ed25519_signatures",
        row ->
            Receipt.isSigned(unhex(row.get("signature")), unhex(row.get("message")), unhex(row.get("public_key")))
                == row.get("holds").getAsBoolean());
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (var check : checks.entrySet()) {
      List<String> lines = Files.readAllLines(folder.resolve(check.getKey() + ".jsonl"));
      for (String line : lines) {
        JsonObject row = JsonParser.parseString(line).getAsJsonObject();
        if (!check.getValue().holds(row)) {
          fail(check.getKey() + " " + row.get("id").getAsString() + ": " + row.get("why").getAsString());
        }
      }
      counts.put(check.getKey(), lines.size());
    }
    return counts;
  }

  private static boolean isProved(JsonObject row) {
    List<String> keys = new ArrayList<>();
    row.get("keys").getAsJsonArray().forEach(key -> keys.add(key.getAsString()));
    try {
      Receipt.verify(row.get("receipt").getAsString(), unhex(row.get("leaf")), row.get("origin").getAsString(), keys);
      return true;
    } catch (Receipt.Refused error) {
      return false;
    }
  }

  private static ByteString random(int count) {
    byte[] bytes = new byte[count];
    RANDOM.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  private static byte[] unhex(JsonElement text) {
    return HEX.parseHex(text.getAsString());
  }

  private static void fail(String why) {
    System.err.println(why);
    System.exit(1);
  }
}
