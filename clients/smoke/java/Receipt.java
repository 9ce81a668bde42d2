import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A log receipt and a revealed seed, verified with nothing but the JDK's SHA-256 and Ed25519: Merkle inclusion (RFC 9162,
 * 2.1.3.2) in the tree of a checkpoint that the log's key has signed (C2SP tlog-proof, tlog-checkpoint, signed-note).
 */
final class Receipt {
  /** What does not hold. */
  static final class Refused extends Exception {
    Refused(String why) {
      super(why);
    }
  }

  private static final HexFormat HEX = HexFormat.of();
  private static final byte[] SPKI = HEX.parseHex("302a300506032b6570032100"); // what DER puts before an Ed25519 key
  private static final BigInteger ORDER =
      BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
  private static final Set<String> SMALL_ORDER =
      Set.of(
          "0100000000000000000000000000000000000000000000000000000000000000",
          "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
          "0000000000000000000000000000000000000000000000000000000000000000",
          "0000000000000000000000000000000000000000000000000000000000000080",
          "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
          "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
          "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
          "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa");
  private static final long MAX_SIZE = (1L << 53) - 1;
  private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,15}");
  private static final Pattern SIGNATURE_LINE = Pattern.compile("\u2014 ([^ ]+) ([^ ]+)");
  private static final Pattern KEY = Pattern.compile("([^+ ]+)\\+([0-9a-f]{8})\\+([^ ]+)");

  private Receipt() {}

  /** Returns whether the key signed the message; points of small order and a large S sign nothing. */
  static boolean isSigned(byte[] signature, byte[] message, byte[] publicKey) {
    if (signature.length != 64 || publicKey.length != 32) {
      return false;
    }
    if (SMALL_ORDER.contains(HEX.formatHex(publicKey)) || SMALL_ORDER.contains(HEX.formatHex(signature, 0, 32))) {
      return false;
    }
    byte[] scalar = new byte[32];
    for (int index = 0; index < 32; index++) {
      scalar[index] = signature[63 - index];
    }
    if (new BigInteger(1, scalar).compareTo(ORDER) >= 0) {
      return false;
    }
    try {
      PublicKey key = KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(joined(SPKI, publicKey)));
      Signature verifier = Signature.getInstance("Ed25519");
      verifier.initVerify(key);
      verifier.update(message);
      return verifier.verify(signature);
    } catch (GeneralSecurityException error) {
      return false;
    }
  }

  /** Returns whether the hash is a leaf's at this place of a tree of this size and root. */
  static boolean isIncluded(byte[] leafHash, long index, long size, List<byte[]> proof, byte[] root) {
    if (index >= size) {
      return false;
    }
    long place = index;
    long last = size - 1;
    byte[] hash = leafHash;
    for (byte[] sibling : proof) {
      if (last == 0) {
        return false;
      }
      if (place % 2 == 1 || place == last) {
        hash = sha256(new byte[] {1}, sibling, hash);
        while (place % 2 == 0 && place != 0) {
          place /= 2;
          last /= 2;
        }
      } else {
        hash = sha256(new byte[] {1}, hash, sibling);
      }
      place /= 2;
      last /= 2;
    }
    return last == 0 && Arrays.equals(hash, root);
  }

  /** Returns the size of the tree in which the receipt shows the leaf. */
  static long verify(String text, byte[] leaf, String origin, List<String> keys) throws Refused {
    int cut = text.indexOf("\n\n");
    require(cut >= 0, "it has no checkpoint");
    String[] lines = text.substring(0, cut).split("\n", -1);
    require(lines.length >= 2 && lines.length <= 66 && lines[0].equals("c2sp.org/tlog-proof@v1"), "it is no log receipt");
    require(lines[1].startsWith("index "), "its second line is no index");
    long index = number(lines[1].substring(6), "its index is no number");
    List<byte[]> proof = new java.util.ArrayList<>();
    for (int line = 2; line < lines.length; line++) {
      proof.add(base64(lines[line], 32));
    }
    String[] checkpoint = openCheckpoint(text.substring(cut + 2), origin, keys);
    long size = number(checkpoint[1], "its size is no number");
    byte[] leafHash = sha256(new byte[] {0}, leaf);
    require(isIncluded(leafHash, index, size, proof, base64(checkpoint[2], 32)), "the leaf is not in the tree");
    return size;
  }

  /** Returns whether a seed is the one that an OPEN was committed to: TH("server-commit", round_id, seed). */
  static boolean isCommitted(byte[] seed, byte[] roundId, byte[] commitment) {
    byte[] tag = "referee/v1/server-commit".getBytes(StandardCharsets.US_ASCII);
    byte[] length = {0, 0, 0, 32};
    byte[] head = joined(new byte[] {(byte) tag.length}, tag, new byte[] {2});
    return roundId.length == 32
        && seed.length == 32
        && Arrays.equals(sha256(head, length, roundId, length, seed), commitment);
  }

  private static String[] openCheckpoint(String note, String origin, List<String> keys) throws Refused {
    int cut = note.lastIndexOf("\n\n");
    require(cut >= 0 && note.endsWith("\n"), "the checkpoint is no signed note");
    byte[] body = note.substring(0, cut + 1).getBytes(StandardCharsets.UTF_8);
    int signers = 0;
    for (String line : note.substring(cut + 2, note.length() - 1).split("\n", -1)) {
      Matcher parts = SIGNATURE_LINE.matcher(line);
      require(parts.matches(), "a line is no signature");
      byte[] signature = base64(parts.group(2), -1);
      for (String text : keys) {
        Matcher key = KEY.matcher(text);
        require(key.matches(), "it is no verifier key");
        byte[] material = base64(key.group(3), 33);
        byte[] hint = Arrays.copyOf(sha256((key.group(1) + "\n").getBytes(StandardCharsets.UTF_8), material), 4);
        require(material[0] == 1 && HEX.formatHex(hint).equals(key.group(2)), "it is no Ed25519 verifier key");
        if (key.group(1).equals(parts.group(1)) && Arrays.equals(hint, Arrays.copyOf(signature, 4))) {
          byte[] rest = Arrays.copyOfRange(signature, Math.min(4, signature.length), signature.length);
          require(isSigned(rest, body, Arrays.copyOfRange(material, 1, 33)), "the log's signature is false");
          signers++;
        }
      }
    }
    require(signers > 0, "the log's key has not signed the checkpoint");
    String[] lines = note.substring(0, cut).split("\n", -1);
    require(lines.length == 3 && lines[0].equals(origin), "it is no checkpoint of this log");
    return lines;
  }

  private static long number(String text, String why) throws Refused {
    require(NUMBER.matcher(text).matches() && Long.parseLong(text) <= MAX_SIZE, why);
    return Long.parseLong(text);
  }

  private static byte[] base64(String text, int length) throws Refused {
    byte[] bytes = {};
    try {
      bytes = Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException error) {
      throw new Refused("it is not base64");
    }
    boolean isOneSpelling = Base64.getEncoder().encodeToString(bytes).equals(text);
    require(isOneSpelling && (length < 0 || bytes.length == length), "it is not base64 in its one spelling, or has another length");
    return bytes;
  }

  private static byte[] sha256(byte[]... parts) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(joined(parts));
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error); // every JDK has it
    }
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static void require(boolean holds, String why) throws Refused {
    if (!holds) {
      throw new Refused(why);
    }
  }
}
